target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define i32 @cb(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
@llvm.used = appending global [1 x i8*] [i8* bitcast (i32 (i32)* @cb to i8*)], section "llvm.metadata"
!nvvmir.version = !{!9}
!9 = !{i32 2, i32 0, i32 3, i32 1}
