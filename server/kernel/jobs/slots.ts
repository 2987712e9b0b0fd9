/** Limits how many jobs of one queue run at once in this process, however they came. */
export type Slots = {
  /** Whether one more could start at once. */
  isFree(): boolean
  /** Runs `work` when a slot is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export function openSlots(concurrency: number): Slots {
  let taken = 0
  const waiting: (() => void)[] = []
  return {
    isFree: () => taken + waiting.length < concurrency,
    async run(work) {
      if (taken < concurrency) taken += 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        // The slot passes to the one that has waited longest.
        const next = waiting.shift()
        if (next === undefined) taken -= 1
        else next()
      }
    },
  }
}
