import { runDemoCommand } from '#server/demo-command.ts'
import { loadConfig } from '#server/kernel/config.ts'

// `npm run demo` with a share of its fortnight, given as the argument: what a test can wait for.
await runDemoCommand(loadConfig, [], (line) => process.stdout.write(`${line}\n`), Number(process.argv[2]))
