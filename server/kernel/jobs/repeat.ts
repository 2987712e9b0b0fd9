export type Repeated = {
  /** Starts a run now, unless one is running or resting. */
  begin(): void
  /** No run begins after this. Ends when the current one has. */
  close(): Promise<void>
}

/**
 * Runs `run` now (or `later`: only when the first `everyMs` are over) and every `everyMs`. Two runs never overlap: while one is
 * running, or rests for as many milliseconds as it returned, none begins. A run that throws is reported to `failed`, and the next one
 * begins as usual.
 */
export function repeat(
  run: () => Promise<unknown>,
  everyMs: number,
  failed: (error: unknown) => void,
  { later = false }: { later?: boolean } = {},
): Repeated {
  let current: Promise<void> | undefined
  let restsUntil = 0
  let closed = false
  const once = async () => {
    const restMs = await run()
    restsUntil = performance.now() + (typeof restMs === 'number' ? restMs : 0)
  }
  const begin = () => {
    if (closed || current !== undefined || performance.now() < restsUntil) return
    // Assigned before it can end: a run may end immediately.
    current = once()
      .catch(failed)
      .finally(() => {
        current = undefined
      })
  }
  const timer = setInterval(begin, everyMs)
  if (!later) begin()
  return {
    begin,
    async close() {
      closed = true
      clearInterval(timer)
      await current
    },
  }
}
