/** What every process of a test is started with. The cache spares it compiling the same modules again. */
export const testEnvironment = {
  NODE_ENV: 'test' as const,
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
}
