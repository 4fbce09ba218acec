// args: --entry k
#[inline]
pub fn k(x: &mut u32, n: u32) {
    struct Guard_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have<'a>(&'a mut u32);
    impl Drop for Guard_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have<'_> {
        fn drop(&mut self) {
            *self.0 += 1;
        }
    }
    let g = Guard_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have_of_a_name_that_is_longer_than_any_file_may_have(x);
    if n > 3 {
        core::mem::forget(g);
    }
}
//~ MD0186 how to drop
