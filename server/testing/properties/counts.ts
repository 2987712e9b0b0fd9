import type { TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** The number of cases of a generated test, which npm run proof prints. */
    cases?: number
  }
}

/** Reports how many cases this test ran. Throws at 0, because a generated test without cases proves nothing. */
export function countCases({ task }: TestContext, cases: number): void {
  if (cases === 0) throw new Error(`"${task.name}" did not generate any cases.`)
  task.meta.cases = cases
}

/** Returns the full count in npm run proof, and a smaller one in npm test. */
export const sized = <T>(full: T, small: T): T => (process.env.PROOF === 'full' ? full : small)
