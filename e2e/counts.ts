import { test } from '@playwright/test'

// What a browser test adds to the report of `npm run proof` (cli/reports/playwright.mjs).

/** Adds to the number of cases that this test ran. */
export const countCases = (cases: number): void => note('cases', String(cases))

/** Reports a time. It never fails a test, because it depends on the machine. */
export const reportTime = (what: string, milliseconds: number): void =>
  note('time', `${what}: ${Math.round(milliseconds)} ms`)

const note = (type: string, description: string): void => {
  test.info().annotations.push({ type, description })
}
