# Makes one object file of the Rust sources: finds a cargo that is new enough, or stops with what to do, and sets
# AETHER_OBJECT. No registry and no network is needed; the source tree is only read.

set(manifest "${PROJECT_SOURCE_DIR}/cmake/artifact/Cargo.toml")
set(manifest_directory "${PROJECT_SOURCE_DIR}/cmake/artifact")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${manifest}")
file(STRINGS "${manifest}" rust_version REGEX "^rust-version")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" rust_version "${rust_version}")
set(remedy "aether needs cargo and rustc ${rust_version} or newer. Set AETHER_CARGO to the cargo program to use.")

if(NOT AETHER_PROFILE MATCHES "^(release|checked)$")
  message(FATAL_ERROR "AETHER_PROFILE is \"${AETHER_PROFILE}\"; it must be release or checked.")
endif()

# Rustup picks a toolchain by the working directory, so a program is asked in the one in which cargo will run.
function(require_version program answer)
  execute_process(COMMAND "${program}" -vV WORKING_DIRECTORY "${manifest_directory}"
    OUTPUT_VARIABLE output ERROR_VARIABLE complaint RESULT_VARIABLE failure)
  if(failure OR NOT output MATCHES "^[a-z]+ ([0-9]+\\.[0-9]+\\.[0-9]+)")
    message(FATAL_ERROR "${program} does not tell its version (${failure}). ${remedy}\n${complaint}")
  endif()
  if(CMAKE_MATCH_1 VERSION_LESS rust_version)
    message(FATAL_ERROR "${program} is version ${CMAKE_MATCH_1}. ${remedy}")
  endif()
  set(${answer} "${output}" PARENT_SCOPE)
endfunction()

find_program(AETHER_CARGO cargo
  PATHS "$ENV{CARGO_HOME}/bin" "$ENV{HOME}/.cargo/bin" "$ENV{USERPROFILE}/.cargo/bin"
  NO_CMAKE_FIND_ROOT_PATH
  DOC "The cargo program")
if(NOT AETHER_CARGO)
  message(FATAL_ERROR "No cargo was found. ${remedy}")
endif()
require_version("${AETHER_CARGO}" cargo_says)

# The compiler that stands beside cargo, if one does, so that the two belong together.
get_filename_component(cargo_directory "${AETHER_CARGO}" DIRECTORY)
unset(aether_rustc)
find_program(aether_rustc rustc HINTS "${cargo_directory}" NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
if(NOT aether_rustc)
  message(FATAL_ERROR "No rustc was found for ${AETHER_CARGO}. ${remedy}")
endif()
require_version("${aether_rustc}" rustc_says)

if(AETHER_RUST_TARGET)
  set(rust_target "${AETHER_RUST_TARGET}")
elseif(CMAKE_CROSSCOMPILING)
  message(FATAL_ERROR "Cross-compiling for ${CMAKE_SYSTEM_NAME}: set AETHER_RUST_TARGET to the Rust target triple.")
else()
  string(REGEX REPLACE ".*\nhost: ([^\n]+).*" "\\1" rust_target "${rustc_says}")
endif()

# What a user has set for other Rust projects must not reach this build: where the output goes, and the code.
# An empty CARGO_ENCODED_RUSTFLAGS outranks every other source of flags.
set(environment CARGO_ENCODED_RUSTFLAGS= "RUSTC=${aether_rustc}")
foreach(variable IN ITEMS RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR CARGO_BUILD_BUILD_DIR
    CARGO_BUILD_TARGET CARGO_INCREMENTAL CARGO_BUILD_INCREMENTAL)
  list(APPEND environment --unset=${variable})
endforeach()
foreach(setting IN ITEMS OPT_LEVEL LTO CODEGEN_UNITS PANIC DEBUG DEBUG_ASSERTIONS OVERFLOW_CHECKS INCREMENTAL)
  list(APPEND environment --unset=CARGO_PROFILE_RELEASE_${setting} --unset=CARGO_PROFILE_CHECKED_${setting})
endforeach()

file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.rs")
set(cargo_output "${PROJECT_BINARY_DIR}/cargo")
set(AETHER_OBJECT "${cargo_output}/aether${CMAKE_C_OUTPUT_EXTENSION}")

# Cargo does not know of the object: it would call the crate fresh although the object is gone. So it starts afresh.
add_custom_command(OUTPUT "${AETHER_OBJECT}"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${cargo_output}"
  COMMAND "${CMAKE_COMMAND}" -E env ${environment}
    "${AETHER_CARGO}" rustc --quiet --locked --offline --manifest-path "${manifest}" --target-dir "${cargo_output}"
    --lib --profile ${AETHER_PROFILE} --target ${rust_target} --features abort-handler -- "--emit=obj=${AETHER_OBJECT}"
  DEPENDS ${sources} "${manifest}" "${manifest_directory}/Cargo.lock"
  WORKING_DIRECTORY "${manifest_directory}"
  COMMENT "Compiling aether with cargo (${AETHER_PROFILE}, ${rust_target})"
  VERBATIM)
set_property(DIRECTORY APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${cargo_output}")
