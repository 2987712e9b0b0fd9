import { runtime } from '#server/kernel/runtime.ts'
import { deleteSettled } from './delivery-store.ts'

/** Removes deliveries that were settled more than 30 days ago. */
export const purgeDeliveries = (tenantId: string): Promise<void> =>
  runtime().database.inTenant(tenantId, (tx) => deleteSettled(tx, tenantId))
