# find_package(aether) gives aether::static, aether::shared, and aether::aether, one of the two by BUILD_SHARED_LIBS.
include("${CMAKE_CURRENT_LIST_DIR}/aether-targets.cmake")
if(NOT TARGET aether::aether)
  if(BUILD_SHARED_LIBS AND TARGET aether::shared)
    add_library(aether::aether ALIAS aether::shared)
  else()
    add_library(aether::aether ALIAS aether::static)
  endif()
endif()
