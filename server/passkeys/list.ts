import { ListPasskeysInput, PasskeyList } from '#lib/schemas/passkeys.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { listPasskeys } from './store.ts'
import { passkeyView } from './view.ts'

/** The caller's own passkeys; a machine has none. */
export const list = query({
  permission: 'any',
  input: ListPasskeysInput,
  output: PasskeyList,
  async run({ tx, tenant, principal, input: { limit, cursor } }) {
    const rows = await listPasskeys(tx, tenant.id, principal.memberId, { limit: limit + 1, cursor })
    return await boundPage(tx, tenant.id, 'passkey', { rows: rows.map(passkeyView), limit, idOf: ({ id }) => id })
  },
})
