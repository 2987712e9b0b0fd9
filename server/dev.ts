// The program that `npm run dev` starts, and restarts when one of its imported files changes. Its argument is the
// address of `next dev`.
import { developmentPages } from './dev/pages.ts'
import { run } from './run.ts'

const [origin] = process.argv.slice(2)
if (origin === undefined) throw new Error('The address of next dev is missing. Run npm run dev.')
await run(developmentPages(origin))
