import type { AddCommand } from '../program.ts';
import { addAnalyzeCommand } from './analyze.ts';
import { addApprovalsCommand } from './approvals.ts';
import { addAttachCommand } from './attach.ts';
import { addBisectCommand } from './bisect.ts';
import { addAutopsyCommand } from './autopsy.ts';
import { addDiffCommand } from './diff.ts';
import { addDevCommand } from './dev.ts';
import { addDocsCommand } from './docs.ts';
import { addDoctorCommand } from './doctor.ts';
import { addRedactCommand } from './redact.ts';
import { addMcpCommand } from './mcp.ts';
import { addGateCommand } from './gate.ts';
import { addReportCommand } from './report.ts';
import { addRunCommand } from './run.ts';
import { addServeCommand } from './serve.ts';
import { addOpenCommand } from './open.ts';
import { addSilenceCommand } from './silence.ts';
import { addStressCommand } from './stress.ts';
import { addTokenCommand } from './token.ts';
import { addTopCommand } from './top.ts';
import { addLedgerCommand } from './ledger.ts';
import { addInitCommand } from './init.ts';
import { addCheckCommand } from './check.ts';
import { addExplainCommand } from './explain.ts';
import { addRollbackCommand } from './rollback.ts';
import { addReplayCommand } from './replay.ts';

/** Every verb, in the order of the help page. A verb's file loads its own weight when it runs, so that the others start fast. */
export const commands: readonly AddCommand[] = [
  addRunCommand,
  addDevCommand,
  addServeCommand,
  addOpenCommand,
  addTokenCommand,
  addTopCommand,
  addAttachCommand,
  addDoctorCommand,
  addAutopsyCommand,
  addAnalyzeCommand,
  addDiffCommand,
  addRedactCommand,
  addApprovalsCommand,
  addLedgerCommand,
  addStressCommand,
  addGateCommand,
  addBisectCommand,
  addReportCommand,
  addMcpCommand,
  addInitCommand,
  addCheckCommand,
  addExplainCommand,
  addReplayCommand,
  addRollbackCommand,
  addSilenceCommand,
  addDocsCommand,
];
