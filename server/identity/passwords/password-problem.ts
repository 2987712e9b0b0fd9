import { whyNotPassword } from '#lib/rules/password.ts'
import type { Reader } from '#server/identity/words/reader.ts'
import { isCommonPassword } from './common-passwords.ts'

export type Owner = { username: string; displayName: string; email: string | null }

/** Why a person can't use this new password, which the form contains twice; undefined if they can. */
export function passwordProblem(
  { realm, t }: Reader,
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
  if (why !== undefined) return t.passwords[why]
  if (isCommonPassword(password)) return t.passwords.common
  return password === again ? undefined : t.passwords.different
}
