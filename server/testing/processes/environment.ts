import { serverMemory } from '../../../cli/server-memory.mjs'

/** The environment of all processes that tests start. The cache avoids compiling the same modules again. */
export const testEnvironment = {
  NODE_ENV: 'test' as const,
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
}

/**
 * How `npm start` runs the server: with settings of memory. Without them the C library keeps what the server frees, and a test
 * of memory would measure the library.
 */
export const serverProcess = {
  environment: { ...serverMemory.environment, ...testEnvironment },
  options: serverMemory.options,
}
