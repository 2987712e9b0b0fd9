import { limits } from '#lib/limits.ts'

/** Returns why the name of an environment is invalid, or undefined. The same rule as the API's (EnvironmentName in lib/schemas/common.ts). */
export function whyNotEnvironment(name: string): string | undefined {
  if (name === '') return 'Enter the name of an environment.'
  if (name.length > limits.slug) return `Use at most ${limits.slug} characters.`
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name))
    return 'Use lower-case letters, digits and hyphens, and start with a letter or digit.'
}
