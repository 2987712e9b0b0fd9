import type { TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** How many cases a generated test went through; npm run proof prints them. */
    cases?: number
  }
}

/** Says in the run's report how many cases this test went through. A generated test without cases proves nothing: throws at 0. */
export function countCases({ task }: TestContext, cases: number): void {
  if (cases === 0) throw new Error(`"${task.name}" generated no case.`)
  task.meta.cases = cases
}

/** The full counts (npm run proof), or a size that fits npm test. */
export const sized = <T>(full: T, small: T): T => (process.env.PROOF === 'full' ? full : small)
