! apply.f90 -- libbp from Fortran: mass of a warped box by elements, whose sum over all nodes is the volume.
!
!   gfortran apply.f90 -o apply $(pkg-config --libs bp) && ./apply
!
! Structs and calls are those of bp.h.
module libbp
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), parameter :: on_elements = 0, on_unknowns = 1

  type, bind(c) :: operator_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: problem = c_null_ptr
    integer(c_int) :: degree = 1
    real(c_double) :: lambda = 0
    integer(c_int) :: layout = on_elements
    type(c_ptr) :: map = c_null_ptr
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: fixed = c_null_ptr
    integer(c_int) :: jacobi = 0
  end type

  interface
    integer(c_int) function libbp_context_create(options, context) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: context
    end function
    integer(c_int) function libbp_mesh_box(context, n, warp, mesh) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_double
      type(c_ptr), value :: context
      integer(c_int64_t), intent(in) :: n(3)
      real(c_double), value :: warp
      type(c_ptr), intent(out) :: mesh
    end function
    integer(c_int) function libbp_operator_create(mesh, options, a) bind(c)
      import :: c_int, c_ptr, operator_options
      type(c_ptr), value :: mesh
      type(operator_options), intent(in) :: options
      type(c_ptr), intent(out) :: a
    end function
    integer(c_int) function libbp_operator_apply(a, alpha, u, beta, v) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: a
      real(c_double), value :: alpha, beta
      real(c_double), intent(in) :: u(*)
      real(c_double), intent(inout) :: v(*)
    end function
    subroutine libbp_operator_destroy(a) bind(c)
      import :: c_ptr
      type(c_ptr), value :: a
    end subroutine
    subroutine libbp_mesh_destroy(mesh) bind(c)
      import :: c_ptr
      type(c_ptr), value :: mesh
    end subroutine
    subroutine libbp_context_destroy(context) bind(c)
      import :: c_ptr
      type(c_ptr), value :: context
    end subroutine
  end interface
end module

program apply
  use libbp
  implicit none
  integer, parameter :: elements = 4, degree = 5
  character(kind=c_char), target :: problem(4) = ['b', 'p', '1', c_null_char]
  type(c_ptr) :: context, mesh, a
  type(operator_options) :: options
  real(c_double), allocatable :: u(:), v(:)

  options%size = c_sizeof(options)
  options%problem = c_loc(problem)
  options%degree = degree
  call check(libbp_context_create(c_null_ptr, context))
  call check(libbp_mesh_box(context, int([elements, elements, elements], c_int64_t), 0.3_c_double, mesh))
  call check(libbp_operator_create(mesh, options, a))

  allocate (u(elements**3 * (degree + 1)**3), v(elements**3 * (degree + 1)**3))
  u = 1
  call check(libbp_operator_apply(a, 1.0_c_double, u, 0.0_c_double, v))
  print '(a, f12.9)', 'volume', sum(v)

  call libbp_operator_destroy(a)
  call libbp_mesh_destroy(mesh)
  call libbp_context_destroy(context)

contains
  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) error stop 'a call of libbp failed'
  end subroutine
end program
