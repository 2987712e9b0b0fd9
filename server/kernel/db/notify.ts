import type { Transaction } from './database.ts'
import type { Channel } from './listen.ts'
import { onCommit } from './transaction.ts'

/** Notifies listeners at commit that `topic` changed, once per transaction. A rollback notifies no one. */
export const notify = (tx: Transaction, channel: Channel, topic: string): void => onCommit(tx, channel, topic)
