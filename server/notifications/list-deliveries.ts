import { DeliveryList, ListDeliveriesInput } from '#lib/schemas/notifications/channels.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listDeliveryRows } from './delivery-store.ts'
import { deliveryView } from './view.ts'

/** What was sent over the channels in the last 30 days, newest first. */
export const listDeliveries = query({
  permission: 'tenant:manage',
  input: ListDeliveriesInput,
  output: DeliveryList,
  async run({ tx, tenant, input: { limit, cursor, channelId, delivery } }) {
    const rows = await listDeliveryRows(tx, tenant.id, { channelId, delivery, limit: limit + 1, cursor })
    return pageOf(rows.map(deliveryView), limit, ({ id }) => id)
  },
})
