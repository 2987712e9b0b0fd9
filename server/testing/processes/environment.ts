/** The environment of all processes that tests start. The cache avoids compiling the same modules again. */
export const testEnvironment = {
  NODE_ENV: 'test' as const,
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
}
