/**
 * Preloaded into a server process (NODE_OPTIONS=--import). Shifts its clock by the milliseconds in the file
 * `COUNTERSIGN_CLOCK`, which SIGUSR2 makes it read again. Timers and the database's clock don't change.
 */
import { readFileSync } from 'node:fs'

const Real = Date
const file = process.env.COUNTERSIGN_CLOCK
if (file === undefined) throw new Error('COUNTERSIGN_CLOCK must name a file.')
const read = () => Number(readFileSync(file, 'utf8'))
let shiftMs = read()
const now = () => Real.now() + shiftMs

globalThis.Date = new Proxy(Real, {
  apply: () => new Real(now()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
})

process.on('SIGUSR2', () => {
  shiftMs = read()
})
