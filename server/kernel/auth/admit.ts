import type { OpenTransaction } from '#server/kernel/db/database.ts'
import { takeAtOnce, takeCalls } from '#server/kernel/rate/limits.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { type Credentials, identify, type Presented, present } from './authenticate.ts'
import type { Caller } from './principal.ts'

/** The transaction in which a caller was found: the first operation that runs goes on in it. */
export type Admission = {
  caller: Caller
  /** The transaction, bound to the caller's tenant, for whoever asks first; whoever gets it ends it. */
  claim(): OpenTransaction | undefined
  /**
   * Ends it, unless it was claimed. Call it before waiting for anything else than this transaction, and in the end: when
   * everyone holds a connection and waits for another one, nobody gets it.
   */
  end(): Promise<void>
}

/**
 * Who calls, and whether their tenant may call now: every transport lets a request in through here. Only members spend a
 * tenant's budget; a stranger can't. `calls` is how many a batch holds. Throws what identify() throws, and 429.
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
      // The budget must be asked for over another connection.
      await end()
      await takeCalls(caller.tenant.id, calls)
    }
    return { caller, claim, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** The caller alone, for a transport that runs no operation now (a socket) or waits for a body first. */
export async function admitCaller(credentials: Credentials): Promise<Caller> {
  const { caller, end } = await admit(await present(credentials), credentials)
  await end()
  return caller
}
