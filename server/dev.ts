// What `npm run dev` starts, and starts again when a file that it imports changes. Its argument is the address of `next dev`.
import { developmentPages } from './dev/pages.ts'
import { run } from './run.ts'

const [origin] = process.argv.slice(2)
if (origin === undefined) throw new Error('The address of next dev is missing. Run npm run dev.')
await run(developmentPages(origin))
