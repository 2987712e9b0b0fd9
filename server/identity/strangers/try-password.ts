import type { IncomingMessage } from 'node:http'
import { verifyPassword } from '#server/identity/sign-in/password.ts'
import { findUserByName } from '#server/identity/store.ts'
import { clientOf } from '#server/kernel/net/client-address.ts'
import type { Standing as Budget } from '#server/kernel/rate/budget.ts'
import { lookUpInTurn } from '#server/kernel/rate/lookups.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'
import { logRefusal } from '#server/kernel/refusals.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Guard } from './guard.ts'
import { countOutcome, type Outcome } from './outcomes.ts'
import { spentShare, takeGuess, unspent } from './password-shares.ts'
import { hashInTurn, laneOf } from './turns.ts'

export type PasswordAttempt = { username: string; password: string; interaction: string; req: IncomingMessage }

/** A person whose password is right, and the hash that it was compared with: another one may be stored by now. */
export type Verified = { subject: string; passwordHash: string }

/** The person if the password is right, undefined if it is wrong, or the share that is used up. */
export type Tried = { verified: Verified | undefined } | { spent: Budget }

/**
 * Tries a password once it is the caller's turn: what a stranger sends waits behind known browsers and known addresses,
 * and in turns with other realms, networks and addresses. A guess is counted before the hash, and given back if it was
 * right. Does the same work for unknown and disabled accounts. Throws OverloadError.
 */
export async function tryPassword(guard: Guard, attempt: PasswordAttempt): Promise<Tried> {
  const { tenantId } = guard
  try {
    const tried = await tryInTurn(guard, attempt)
    note(tenantId, 'spent' in tried ? 'throttled' : tried.verified === undefined ? 'refused' : 'accepted')
    if ('verified' in tried && tried.verified !== undefined) logAccepted(tenantId, tried.verified.subject, attempt.req)
    return tried
  } catch (error) {
    if (error instanceof OverloadError) note(tenantId, 'overloaded')
    throw error
  }
}

/** Here and not in the audit log, which is permanent: the address is personal data (docs/privacy.md). */
const logAccepted = (tenantId: string, subject: string, req: IncomingMessage): void =>
  runtime().log.info({ tenantId, subject, address: clientOf(req).address }, 'a password was accepted')

function note(tenantId: string, outcome: Outcome): void {
  countOutcome(tenantId, 'password', outcome)
  // Without the name: people type their password into its field.
  if (outcome !== 'accepted') logRefusal(runtime().log, { tenantId, outcome }, 'a sign-in was refused')
}

async function tryInTurn(guard: Guard, { username, password, interaction, req }: PasswordAttempt): Promise<Tried> {
  const { tenantId, browsers, places } = guard
  const client = clientOf(req)
  const account = guard.accountOf('person', username)
  const guess = unspent({
    tenantId,
    account,
    group: client.group,
    browser: browsers.idFor(req.headers.cookie, account),
  })
  const { browser } = guess
  const early = spentShare(guess, browser === undefined ? 'place' : 'browser')
  if (early !== undefined) return { spent: early }
  const found = await lookUpInTurn(
    laneOf(browser === undefined ? 'stranger' : 'browser', tenantId, client, interaction),
    async () => ({
      user: await runtime().database.inTenant(tenantId, (tx) => findUserByName(tx, tenantId, username)),
      isKnown: await places.isKnown(account, client),
    }),
  )
  const standing = browser !== undefined ? 'browser' : found.isKnown ? 'place' : 'stranger'
  const spent = spentShare(guess, standing)
  if (spent !== undefined) return { spent }
  return await hashInTurn(laneOf(standing, tenantId, client, interaction), async () => {
    // A caller that has hung up while it waited would not read the answer.
    if (req.socket.destroyed) throw new OverloadError('The caller has hung up.')
    const taken = await takeGuess(guess, standing)
    if ('spent' in taken) return taken
    const { id, passwordHash, disabledAt } = found.user ?? {}
    const matches = await verifyPassword(password, passwordHash ?? undefined)
    if (!matches || id === undefined || passwordHash == null || disabledAt !== null) return { verified: undefined }
    taken.giveBack()
    places.note(account, client)
    return { verified: { subject: id, passwordHash } }
  })
}
