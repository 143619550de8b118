/** Programs that use the installed packages: the library in Node, and the client with the types of a browser. */
export const consumers: Readonly<Record<string, string>> = {
  'library.ts': `
import { BadOptions, type Agreement, type BftScan, createBftScan, SpliceError } from 'bft-scan-proxy'

const seedUrls = process.argv.slice(2)
await using scan: BftScan = await createBftScan({
  scanClient: { seedUrls, allowHttp: true, allowPrivate: true, threshold: '2f+1', deadline: '10s' },
})
const answer = await scan.lookupAnsEntryByName({ name: 'dso.cns' })
if (answer.kind === 'absence') throw new Error(answer.error)
const user: string = answer.value.entry.user
const agreement: Agreement = answer.agreement
const expires: string | null = answer.value.entry.expires_at
// @ts-expect-error a name is a text
const mistaken = () => scan.lookupAnsEntryByName({ name: 1 })
// @ts-expect-error the configuration has no option of this name
const misspelt = () => createBftScan({ scanClient: { treshold: 1 } })
const refused = await scan.listAnsEntries({ page_size: 0 }).catch((error: unknown) => error)
if (!(refused instanceof SpliceError)) throw new Error('a bad question is a SpliceError')
const bad = await createBftScan({ scanClient: { seedUrls: [] } }).catch((error: unknown) => error)
if (!(bad instanceof BadOptions)) throw new Error('bad options are BadOptions')
console.log(JSON.stringify({ user, expires, threshold: agreement.threshold, code: refused.code }))
export { misspelt, mistaken }
`,
  'client.ts': `
import { type Answered, ClientError, createClient, type Value } from '@bft-scan/client'

export async function ask(url: string) {
  const client = createClient({ url })
  const answer: Answered<Value<'getDsoPartyId'>> = await client.getDsoPartyId()
  const failed = await createClient({ url: 'http://127.0.0.1:1' }).getDsoPartyId().catch((error: unknown) => error)
  if (!(failed instanceof ClientError) || failed.code !== 'unreachable') throw new Error('nobody is there')
  const page = await client.read('getUpdateHistoryV2', { body: { page_size: 1 } })
  // @ts-expect-error there is no such read
  const misspelt = await client.read('getUpdateHistory').catch((error: unknown) => error)
  if (!(misspelt instanceof ClientError) || misspelt.code !== 'unknownRead') throw new Error('there is no such read')
  const owner: string | undefined = await client.resolve('dso.cns')
  const names: readonly string[] = await client.namesOf(answer.value?.dso_party_id ?? '')
  // @ts-expect-error a name may belong to nobody
  const mistaken = (): string => owner
  const id: string | undefined = page.value?.transactions[0]?.update_id
  return { dso: answer.value?.dso_party_id, voters: answer.agreement.voters, page: typeof id, owner, names, mistaken }
}
`,
  'receipts.ts': `
import { parseReceipt, type ReceiptVerdict, verifyReceipt } from '@bft-scan/client/receipts'

export async function check(text: string, key: string, owner?: string | undefined, body?: string | undefined): Promise<string> {
  const receipt = parseReceipt(text)
  const question = { ...receipt.request, body }
  const verdict: ReceiptVerdict = await verifyReceipt(receipt, { pins: [{ name: 'a', owner, key }], question })
  // @ts-expect-error a refused receipt has no statements
  const mistaken = () => verdict.statements
  return verdict.kind === 'refused' ? verdict.reason : verdict.statements[0].terms.roster + typeof mistaken
}
`,
  'client-main.ts': `
import { ask } from './client.ts'
console.log(JSON.stringify(await ask(process.argv[2] ?? '')))
`,
  'client-cases-main.js': `
import * as client from '@bft-scan/client'
import { outcomes } from './client-cases.js'
const told = await outcomes(client, JSON.parse(process.argv[2]))
console.log(JSON.stringify({ version: process.version, told }))
`,
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2024',
      module: 'nodenext',
      lib: ['es2025', 'esnext.disposable'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      noEmit: true,
    },
    files: ['library.ts', 'client-main.ts'],
  }),
  'tsconfig.browser.json': JSON.stringify({
    compilerOptions: {
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    },
    files: ['client.ts', 'receipts.ts'],
  }),
}
