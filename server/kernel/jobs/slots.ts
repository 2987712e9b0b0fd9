/** Limits how much work runs at once in this process. */
export type Slots = {
  /** Runs `work` when a slot is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export function openSlots(concurrency: number): Slots {
  let taken = 0
  const waiting: (() => void)[] = []
  // The slot passes to the one that has waited longest.
  const giveBack = () => {
    const next = waiting.shift()
    if (next === undefined) taken -= 1
    else next()
  }
  return {
    async run(work) {
      if (taken < concurrency) taken += 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        giveBack()
      }
    },
  }
}
