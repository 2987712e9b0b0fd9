import { onCommit } from './closing.ts'
import type { Transaction } from './database.ts'
import type { Channel } from './listen.ts'

/** The topic of one of a tenant's objects, for channels whose listeners follow either the object or the whole tenant. */
export const topicOf = (tenantId: string, id: string): string => `${tenantId}/${id}`

/** Notifies listeners at commit that `topic` changed, once per transaction. A rollback notifies no one. */
export const notify = (tx: Transaction, channel: Channel, topic: string): void => onCommit(tx, channel, topic)
