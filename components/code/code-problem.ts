/** An error or warning about a text; line and column count from 1. */
export type CodeProblem = {
  message: string
  line?: number | undefined
  column?: number | undefined
  /** A text with only warnings is accepted. */
  severity?: 'error' | 'warning'
}

/** The note while the server checks the text. */
export const CHECKING = 'Checking…'

export const problemText = ({ message, line, column }: CodeProblem): string =>
  line === undefined ? message : `Line ${line}${column === undefined ? '' : `, column ${column}`}: ${message}`

/** "2 problems, 1 warning", or `none` without any. */
export function countText(problems: readonly CodeProblem[], none: string): string {
  const warnings = problems.filter(({ severity }) => severity === 'warning').length
  const errors = problems.length - warnings
  const parts = [errors > 0 && plural(errors, 'problem'), warnings > 0 && plural(warnings, 'warning')]
  return parts.filter((part) => part !== false).join(', ') || none
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
