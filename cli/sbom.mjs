// `npm run sbom [-- <file>]`. Reads only the lockfile: it needs neither node_modules nor the network.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOfMaterials } from './bill-of-materials.mjs'

const file = process.argv[2] ?? 'countersign.cdx.json'
const bom = billOfMaterials(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'))
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
process.stdout.write(`${file} lists ${bom.components.length} packages (CycloneDX ${bom.specVersion}).\n`)
