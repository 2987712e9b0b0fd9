import * as t from '#components/texts/form-names/en.ts'
import { limits, slugPattern } from '#lib/limits.ts'

/** Returns why a policy, group or environment can't have this name, or undefined. The API has the same rule (lib/schemas). */
export function whyNotName(name: string, of: 'environment' | 'group' | 'policy'): string | undefined {
  if (name === '') return t.nameMissing({ of })
  if (name.length > limits.slug) return t.nameTooLong({ limit: limits.slug })
  if (!slugPattern.test(name)) return t.nameFormat
}
