target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @k(i32* %p, i32 %x) {
  store i32 %x, i32* %p, align 4
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{void (i32*, i32)* @k, !"kernel", i32 1}
!1 = !{void (i32*, i32)* @k, !"reqntidx", i32 64, !"reqntidy", i32 1, !"reqntidz", i32 1}
!nvvmir.version = !{!9}
!9 = !{i32 2, i32 0, i32 3, i32 1}
