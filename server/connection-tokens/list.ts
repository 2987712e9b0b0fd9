import { ConnectionTokenList, ListConnectionTokensInput } from '#lib/schemas/connection-tokens.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listTokens } from './store.ts'
import { tokenViews } from './view.ts'

/** The connection tokens of the tenant, newest first, without the tokens themselves; also those that have ended. */
export const list = query({
  permission: 'service-account:manage',
  input: ListConnectionTokensInput,
  output: ConnectionTokenList,
  async run({ tx, tenant, input }) {
    const rows = await listTokens(tx, tenant.id, input.serviceAccountId, input.limit + 1, input.cursor)
    return pageOf(await tokenViews(tx, tenant.id, rows), input.limit, (token) => token.id)
  },
})
