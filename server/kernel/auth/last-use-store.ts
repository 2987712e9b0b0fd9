import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Sets a machine's last use to now, unless another node has done so within the last minute. */
export async function setLastUse(tx: Transaction, tenantId: string, memberId: string): Promise<void> {
  await sql`insert into machine_uses as use (tenant_id, member_id, used_at)
    values (${tenantId}, ${memberId}, clock_timestamp())
    on conflict (tenant_id, member_id) do update set used_at = excluded.used_at
    where use.used_at < excluded.used_at - interval '1 minute'`.execute(tx)
}
