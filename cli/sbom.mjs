// `npm run sbom [-- <file>]`. Reads only the lockfile: it needs neither node_modules nor the network.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from './arguments/read-arguments.mjs'
import { billOfMaterials } from './bill-of-materials.mjs'

const { positionals } = readArguments(
  `npm run sbom -- [<file>]

Writes the bill of materials (CycloneDX) to countersign.cdx.json or the file.`,
  { most: 1 },
)
const [file = 'countersign.cdx.json'] = positionals
const bom = billOfMaterials(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'))
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
process.stdout.write(`${file} lists ${bom.components.length} packages (CycloneDX ${bom.specVersion}).\n`)
