import { limits } from '#lib/limits.ts'

/** Returns why a policy can't have the name, or undefined. The API has the same rule (CreatePolicyInput in lib/schemas/policies.ts). */
export function whyNotPolicyName(name: string): string | undefined {
  if (name === '') return 'Enter a name for the policy.'
  if (name.length > limits.slug) return `A name can have at most ${limits.slug} characters.`
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name))
    return 'Use lower-case letters, digits and hyphens. Start with a letter or digit.'
}
