import { text } from '#components/language/text.ts'

// Fields and views of source text: policies, manifests, JSON.

export const checking = text('Checking…')
export const atLine = text('Line {line}: {problem}')
export const atColumn = text('Line {line}, column {column}: {problem}')
export const problems = text('{count, plural, one {# problem} other {# problems}}')
export const warnings = text('{count, plural, one {# warning} other {# warnings}}')
export const both = text(
  '{errors, plural, one {# problem} other {# problems}}, {warnings, plural, one {# warning} other {# warnings}}',
)
export const noProblems = text('No problems found')
export const notChecked = text('Could not check the text: {problem}')
export const fixFirst = text('Fix the marked problems first.')
export const warning = text('Warning: ')
export const problem = text('Problem: ')
export const problemsIn = text('Problems in {label}')
export const keys = text('Tab indents; Escape, then Tab, leaves the editor.')
