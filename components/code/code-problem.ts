import * as t from '#components/texts/code/en.ts'

/** An error or warning about a text; line and column count from 1. */
export type CodeProblem = {
  message: string
  line?: number | undefined
  column?: number | undefined
  /** A text with only warnings is accepted. */
  severity?: 'error' | 'warning'
}

/** The note while the server checks the text. */
export const CHECKING = t.checking

export const problemText = ({ message, line, column }: CodeProblem): string =>
  line === undefined
    ? message
    : column === undefined
      ? t.atLine({ line: String(line), problem: message })
      : t.atColumn({ line: String(line), column: String(column), problem: message })

/** "2 problems, 1 warning", or `none` without any. */
export function countText(problems: readonly CodeProblem[], none: string): string {
  const warnings = problems.filter(({ severity }) => severity === 'warning').length
  const errors = problems.length - warnings
  if (errors > 0 && warnings > 0) return t.both({ errors, warnings })
  if (errors > 0) return t.problems({ count: errors })
  return warnings > 0 ? t.warnings({ count: warnings }) : none
}
