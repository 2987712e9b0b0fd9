/** The constructor that this process started with. */
const SystemDate = Date

// Owned by this module: how far the clock of this process is behind, in milliseconds. 0 in every process that serves.
let behind = 0
let replaced = false

/** How far the clock of this process is behind the ordinary one, in milliseconds. */
export const clockBehind = (): number => behind

/** The time of the ordinary clock, whatever this process is set to. */
export const ordinaryTime = (): number => SystemDate.now()

/**
 * Sets the clock of this whole process back, for the process that fills a demo tenant (decision 0095): everything that reads
 * the time then agrees, ids and libraries included, as do statements of its transactions (db/transaction.ts). It only catches
 * up: throws for more than before. What a tenant's log accepts is the database's own decision.
 */
export function setClockBehind(ms: number): void {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError('A clock is behind by whole milliseconds, at least 0.')
  if (replaced && ms > behind) throw new RangeError('The clock of a process only moves forward.')
  behind = ms
  if (replaced) return
  replaced = true
  const now = () => SystemDate.now() - behind
  globalThis.Date = new Proxy(SystemDate, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, made === Date ? target : made),
    apply: () => new SystemDate(now()).toString(),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  })
}
