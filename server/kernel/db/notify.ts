import type { Transaction } from './database.ts'
import type { Channel } from './listen.ts'
import { onCommit } from './transaction.ts'

/** Tells listeners at commit that `topic` changed, once however often it is called. A rollback tells nobody. */
export const notify = (tx: Transaction, channel: Channel, topic: string): void => onCommit(tx, channel, topic)
