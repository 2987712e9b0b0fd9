// Must parse on Node 20: start.mjs reads it before the right Node runs.

/**
 * @type {{ environment: Record<string, string>, options: string[] }}
 * What keeps the server's memory near what it holds; bench/ measures it like this (decision 0019). glibc gives what was freed
 * back to the system only where it is told to: large buffers at once, small ones from two arenas instead of one for each
 * thread. What the operator has set stays. V8's space for young objects stays small: a batch's objects outlive it anyway.
 */
export const serverMemory = {
  environment:
    process.platform === 'linux'
      ? { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }
      : {},
  options: process.env.NODE_OPTIONS?.includes('semi-space') ? [] : ['--max-semi-space-size=8'],
}
