import { whyNotPassword } from '#lib/rules/password.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { isCommonPassword } from './common-passwords.ts'

export type Owner = { username: string; displayName: string; email: string | null }

/** Why a person can't use this new password, which the form contains twice; undefined if they can. */
export function passwordProblem(
  realm: Realm,
  { username, displayName, email }: Owner,
  { password, again }: { password: string; again: string | undefined },
): string | undefined {
  const known = [
    username,
    ...displayName.split(/\s+/),
    ...(email === null ? [] : [email]),
    realm.displayName,
    realm.slug,
  ]
  const why = whyNotPassword(password, known)
  if (why !== undefined) return why
  if (isCommonPassword(password)) return 'Many people use this password, so it is easy to guess. Choose another one.'
  return password === again ? undefined : 'The two passwords do not match.'
}
