/** Limits how many jobs of one queue run at once in this process, however they came. */
export type Slots = {
  /** Whether one more could start at once. */
  isFree(): boolean
  /** Keeps a slot for work that may follow; undefined if none is free. It must be used or given back. */
  reserve(): Reservation | undefined
  /** Runs `work` when a slot is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export type Reservation = {
  run<T>(work: () => Promise<T>): Promise<T>
  giveBack(): void
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
  const within = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } finally {
      giveBack()
    }
  }
  const isFree = () => taken < concurrency
  return {
    isFree,
    reserve() {
      if (!isFree()) return undefined
      taken += 1
      return { run: within, giveBack }
    },
    async run(work) {
      if (isFree()) taken += 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return await within(work)
    },
  }
}
