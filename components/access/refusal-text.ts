import { formatChoice } from '#components/language/formats.ts'
import { rolesText, rolesToAskFor } from '#components/session/people-with.ts'
import * as t from '#components/texts/refusals/en.ts'
import type { Refusal } from '#lib/rules/members.ts'
import { type SecretRecord, whyNotArchive } from '#lib/rules/secrets.ts'
import type { AccountRefusal } from '#lib/rules/service-accounts.ts'

// What lib/rules refuses, in the language of the page. A test compares the English of both.

/** How the reader is tied to an account, which keeps them from vouching for it. */
export type Tie = { kind: 'holder' } | { kind: 'invited' | 'reset'; date: string }

type About = {
  tie?: Tie | undefined
  /** The roles that were wanted. */
  roles?: readonly string[]
}

export const memberRefusalText = (refusal: Refusal | undefined, { tie, roles = [] }: About = {}): string | undefined =>
  refusal &&
  t.member({
    why: refusal.why,
    tie: tie?.kind ?? '',
    date: tie === undefined || tie.kind === 'holder' ? '' : tie.date,
    roles: choiceOf(roles),
    status: t.status({ status: refusal.status ?? '' }),
  })

export const accountRefusalText = (refusal: AccountRefusal | undefined): string | undefined =>
  refusal &&
  t.account({
    why: refusal.why,
    roles:
      'roles' in refusal
        ? choiceOf(refusal.roles)
        : 'permission' in refusal
          ? choiceOf(rolesToAskFor(refusal.permission))
          : '',
    permission: 'permission' in refusal ? refusal.permission : '',
  })

/** Why a key or a secret can't be archived. */
export const archiveRefusalText = (record: SecretRecord): string | undefined => whyNotArchive(record) && t.keyWorks

/** Why revoking has no effect. */
export const revokeRefusalText = ({ status }: { status: string }): string | undefined =>
  status === 'active' ? undefined : t.already({ status })

const choiceOf = (roles: readonly string[]): string => formatChoice(roles.map((role) => rolesText([role])))
