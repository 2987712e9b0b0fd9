/** Why a policy can't be called that, or undefined. The same rule as the API's (CreatePolicyInput in lib/schemas/policies.ts). */
export function whyNotPolicyName(name: string): string | undefined {
  if (name === '') return 'Name the policy.'
  if (name.length > 63) return 'A name has at most 63 characters.'
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) return 'A name is of lower-case letters, digits and hyphens.'
}
