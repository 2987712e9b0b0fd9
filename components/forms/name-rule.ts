import { limits, slugPattern } from '#lib/limits.ts'

/** Returns why a policy, group or environment can't have this name, or undefined. The API has the same rule (lib/schemas). */
export function whyNotName(name: string, of: 'environment' | 'group' | 'policy'): string | undefined {
  if (name === '') return `Enter the name of the ${of}.`
  if (name.length > limits.slug) return `A name can have at most ${limits.slug} characters.`
  if (!slugPattern.test(name)) return 'Use lower-case letters, digits and hyphens. Start with a letter or digit.'
}
