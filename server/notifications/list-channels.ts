import { ChannelList, ListChannelsInput } from '#lib/schemas/notifications/channels.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { listChannelRows } from './channel-store.ts'
import { listFailing } from './delivery-store.ts'
import { channelView, failingView } from './view.ts'

/** The channels of the tenant by name, without their addresses, and whether messages arrive. */
export const listChannels = query({
  permission: 'tenant:manage',
  input: ListChannelsInput,
  output: ChannelList,
  async run({ tx, tenant }) {
    const rows = await listChannelRows(tx, tenant.id)
    const actor = await actorsById(
      tx,
      tenant.id,
      rows.map(({ createdBy }) => createdBy),
    )
    const failing = await listFailing(
      tx,
      tenant.id,
      rows.map(({ id }) => id),
    )
    return { items: rows.map((row) => ({ ...channelView(row, actor), failing: failingView(failing.get(row.id)) })) }
  },
})
