import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { fuelled } from './test/mutation/instrument.ts'
import { filesOf, orderFrom, quickRuns, readPlan, tests } from './test/mutation/plan.ts'

const root = import.meta.dirname
const order = orderFrom(process.env)
const { codes } = readPlan(order.folder)

/** The nearest tests first. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = filesOf(tests, root)
    const place = ({ moduleId }: TestSpecification) => order.indexOf(relative(root, moduleId))
    return files.toSorted((a, b) => place(a) - place(b))
  }
}

/** One process of `npm run test:mutation`, which starts it. */
export default defineConfig({
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(code, id) {
        const file = relative(root, id)
        if (!/^(?:src|test)\/.*\.ts$/.test(file) || file.startsWith('test/mutation/')) return undefined
        const text =
          order.pass === 'quick' ? code.replace(/\bnumRuns: [\d_]+/g, `numRuns: ${quickRuns}`) : code
        return { code: codes[file] ?? fuelled(text), map: null }
      },
    },
  ],
  test: {
    include: tests,
    runner: 'test/mutation/runner.ts',
    sequence: { sequencer: NearestFirst },
    isolate: false,
    // Modules on the disk would have the mutants of another run in them.
    fsModuleCache: false,
    maxWorkers: 1,
    testTimeout: 0,
    reporters: ['dot'],
    silent: true,
  },
})
