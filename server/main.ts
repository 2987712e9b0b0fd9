import { openConsole } from './console.ts'
import { run } from './run.ts'

await run(openConsole())
