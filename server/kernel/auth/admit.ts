import type { OpenTransaction } from '#server/kernel/db/database.ts'
import { FirstRefused } from '#server/kernel/db/transaction.ts'
import { takeAtOnce, takeCalls } from '#server/kernel/rate/limits.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { type Credentials, identify, identifyAsKnown, type Presented, present } from './authenticate.ts'
import type { Caller } from './principal.ts'

/** The transaction in which a caller was identified: the first operation that runs continues in it. */
export type Admission = {
  caller: Caller
  /** The transaction, bound to the caller's tenant, for the first caller of this function, which then has to end it. */
  claim(): OpenTransaction | undefined
  /**
   * Ends the transaction, unless it was claimed. Call it before waiting for anything other than this transaction, and
   * at the end: if every request holds a connection while waiting for another one, none gets it.
   */
  end(): Promise<void>
  /**
   * Of a caller who was admitted as this process knows them: whether the database has found that they still are. Nothing that the call
   * has returned may leave the process before. Waits for the end of the transaction.
   */
  confirmed?(): Promise<boolean>
}

/**
 * Identifies the caller and checks the tenant's rate limit; every transport admits requests through this function. Only
 * members use up a tenant's budget. `calls` is the number of calls in a batch. Throws the errors of identify(), and
 * 429.
 */
export async function admit(presented: Presented, credentials: Credentials, calls = 1): Promise<Admission> {
  let opened: OpenTransaction | undefined = await runtime().database.open()
  const { tx } = opened
  const claim = () => {
    const claimed = opened
    opened = undefined
    return claimed
  }
  const end = async () => claim()?.rollBack()
  try {
    const caller = await identify(presented, credentials, { tx, end })
    if (takeAtOnce(caller.tenant.id, calls) === undefined) {
      // The budget uses another connection, so this one is released first.
      await end()
      await takeCalls(caller.tenant.id, calls)
    }
    return { caller, claim, end }
  } catch (error) {
    await end()
    throw error
  }
}

/**
 * The same without waiting for the database, for a call whose effects are all in the transaction that it claims: the database checks
 * with its first statement that the caller is still the one that this process knows, and otherwise refuses the transaction. Undefined if
 * the caller must be read.
 */
export async function admitAsKnown(
  presented: Presented,
  credentials: Credentials,
  calls = 1,
): Promise<Admission | undefined> {
  const known = identifyAsKnown(presented, credentials)
  if (known === undefined || takeAtOnce(known.caller.tenant.id, calls) === undefined) return undefined
  const whole = await runtime().database.open(known.first)
  let opened: OpenTransaction | undefined = whole
  let ended = false
  const take = () => {
    const taken = opened
    opened = undefined
    return taken
  }
  // An operation that comes too late must not run in another transaction, which would not check the caller.
  const claim = () => {
    if (ended) throw new FirstRefused()
    return take()
  }
  return {
    caller: known.caller,
    claim,
    async end() {
      ended = true
      await take()?.rollBack()
    },
    async confirmed() {
      const isConfirmed = (await whole.confirmed?.()) === true
      known.settle(isConfirmed)
      return isConfirmed
    },
  }
}

/**
 * Identifies only the caller, for a transport that runs no operation yet (a socket) or has to wait for a body first.
 */
export async function admitCaller(credentials: Credentials): Promise<Caller> {
  const { caller, end } = await admit(await present(credentials), credentials)
  await end()
  return caller
}
