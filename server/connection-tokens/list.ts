import { ConnectionTokenList, ListConnectionTokensInput } from '#lib/schemas/connection-tokens.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { listTokens } from './store.ts'
import { tokenViews } from './view.ts'

/** The connection tokens of the tenant, newest first, without the tokens themselves; also those that have ended. */
export const list = query({
  permission: 'service-account:manage',
  input: ListConnectionTokensInput,
  output: ConnectionTokenList,
  async run({ tx, tenant, input }) {
    const rows = await listTokens(tx, tenant.id, input.serviceAccountId, input.limit + 1, input.cursor)
    return await boundPage(tx, tenant.id, 'connection_token', {
      rows: await tokenViews(tx, tenant.id, rows),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
