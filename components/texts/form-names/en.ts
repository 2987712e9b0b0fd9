import { text } from '#components/language/text.ts'

// Rules for names.

export const nameMissing = text(
  '{of, select, environment {Enter the name of the environment.} group {Enter the name of the group.} other {Enter the name of the policy.}}',
)
export const nameTooLong = text('A name can have at most {limit} characters.')
export const nameFormat = text('Use lower-case letters, digits and hyphens. Start with a letter or digit.')
