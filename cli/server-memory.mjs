// Must parse on Node 20: start.mjs imports it before the pinned Node runs.

/**
 * @type {{ environment: Record<string, string>, options: string[] }}
 * Settings that keep the server's memory close to what it uses; bench/ measures with them (decision 0019). glibc returns freed
 * memory to the system only if configured to: large buffers immediately, small ones from two arenas instead of one per
 * thread. The operator's settings take precedence. V8's young generation stays small: a batch's objects outlive it anyway.
 */
export const serverMemory = {
  environment:
    process.platform === 'linux'
      ? { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }
      : {},
  options: process.env.NODE_OPTIONS?.includes('semi-space') ? [] : ['--max-semi-space-size=8'],
}
