# bp-config.cmake -- find_package(bp) gives bp::bp, libbp and its header.
set(bp_VERSION "@VERSION@")
get_filename_component(bp_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET bp::bp)
  add_library(bp::bp SHARED IMPORTED)
  set_target_properties(bp::bp PROPERTIES
    IMPORTED_LOCATION "${bp_prefix}/lib/libbp.so"
    INTERFACE_INCLUDE_DIRECTORIES "${bp_prefix}/include")
endif()
