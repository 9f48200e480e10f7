"""Claims as a model writes them of small talks: one that is true, and others that quote the same true words and say otherwise.

They were written before the law that judges them. Of each four talks the first two are those that it was worked on with; the
other two are held: nothing of the law was changed for one of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory_assets.court.findings import FindingKind
from memory_assets_tests.court.talk import Talk

Said = tuple[str, str]
"""Who says it, and what: ``u`` a person, ``a`` the agent, ``$`` a command (its output follows), ``ok`` or ``no`` its output."""
Told = tuple[str, str, str]
"""Polarity, rule, trigger."""


@dataclass(frozen=True)
class Entry:
    """A talk, what is quoted of it, and what is claimed.

    Attributes:
        quotes: the place of a line in the talk, which is that of its event, the part, and the words; None for all of them.
        true: what the quotes show.
        false: how it is wrong, and the claim.
    """

    kind: FindingKind
    talk: tuple[Said, ...]
    quotes: tuple[tuple[int, str, str | None], ...]
    true: Told
    false: tuple[tuple[str, Told], ...]

    def written(self) -> Talk:
        """The talk."""
        talk, command = Talk(), ""
        for who, text in self.talk:
            match who:
                case "u":
                    talk.user(text)
                case "a":
                    talk.agent(text)
                case "$":
                    command = text
                case _:
                    talk.runs(command, text, failed=who == "no")
        return talk

    def quoted(self) -> list[tuple[int, str, str]]:
        """The quotes, in full."""
        return [(place, part, words or self.talk[place][1]) for place, part, words in self.quotes]


def order(text: str, true: Told, *false: tuple[str, Told]) -> Entry:
    """What a person orders."""
    return Entry("standing_order", (("u", text), ("a", "OK.")), ((0, "order", None),), true, false)


def correction(before: str, text: str, true: Told, *false: tuple[str, Told]) -> Entry:
    """What a person says of what the agent did."""
    return Entry("user_correction", (("a", before), ("u", text)), ((0, "failure", None), (1, "remedy", None)), true, false)


def praise(before: str, text: str, true: Told, *false: tuple[str, Told]) -> Entry:
    """What a person likes of what the agent did."""
    return Entry("praised", (("a", before), ("u", text)), ((0, "remedy", None), (1, "praise", None)), true, false)


def changed(failed: str, error: str, worked: str, true: Told, *false: tuple[str, Told]) -> Entry:
    """A command that failed, and one that worked."""
    talk = (("$", failed), ("no", error), ("$", worked), ("ok", "done"))
    return Entry("changed_input", talk, ((0, "failure", None), (1, "failure", None), (2, "remedy", None)), true, false)


ENTRIES: tuple[Entry, ...] = (
    order(
        "Always run the tests before you commit.",
        ("do", "Run the tests before every commit.", ""),
        ("inverted", ("dont", "Never run the tests before a commit.", "")),
        ("object", ("do", "Run the linter before every commit.", "")),
        ("opposite", ("do", "Run the tests after every commit.", "")),
    ),
    order(
        "앞으로는 커밋하기 전에 항상 테스트를 돌려줘.",
        ("do", "커밋하기 전에 테스트를 돌린다.", ""),
        ("inverted", ("dont", "커밋하기 전에 테스트를 돌리지 않는다.", "")),
        ("object", ("do", "커밋하기 전에 린터를 돌린다.", "")),
    ),
    order(
        "Never push to main with --force.",
        ("dont", "Never push to main with --force.", ""),
        ("inverted", ("do", "Push to main with --force.", "")),
        ("generalised", ("dont", "Never push to main.", "")),
        ("object", ("dont", "Never push to develop with --force.", "")),
    ),
    order(
        "절대 main에 force push 하지 마.",
        ("dont", "main에 force push 하지 않는다.", ""),
        ("inverted", ("do", "main에 force push 한다.", "")),
        ("object", ("dont", "develop에 force push 하지 않는다.", "")),
    ),
    order(
        "From now on answer me in Korean, please.",
        ("do", "Answer in Korean.", ""),
        ("object", ("do", "Answer in English.", "")),
        ("inverted", ("dont", "Do not answer in Korean.", "")),
    ),
    order(
        "앞으로 커밋 메시지는 영어로 써 주세요.",
        ("do", "커밋 메시지는 영어로 쓴다.", ""),
        ("object", ("do", "커밋 메시지는 한국어로 쓴다.", "")),
        ("generalised", ("do", "모든 문서는 영어로 쓴다.", "")),
    ),
    order(
        "Keep functions under 60 lines in this project, always.",
        ("do", "Keep functions under 60 lines.", ""),
        ("number", ("do", "Keep functions under 600 lines.", "")),
        ("object", ("do", "Keep modules under 60 lines.", "")),
    ),
    order(
        "함수는 항상 60줄을 넘기지 마.",
        ("dont", "함수는 60줄을 넘기지 않는다.", ""),
        ("number", ("dont", "함수는 600줄을 넘기지 않는다.", "")),
        ("inverted", ("do", "함수는 60줄을 넘긴다.", "")),
    ),
    order(
        "Don't deploy on Fridays, ever.",
        ("dont", "Do not deploy on Fridays.", ""),
        ("generalised", ("dont", "Never deploy.", "")),
        ("inverted", ("do", "Deploy on Fridays.", "")),
        ("object", ("dont", "Do not deploy on Mondays.", "")),
    ),
    order(
        "금요일에는 절대 배포하지 마세요.",
        ("dont", "금요일에는 배포하지 않는다.", ""),
        ("generalised", ("dont", "절대 배포하지 않는다.", "")),
        ("inverted", ("do", "금요일에는 배포한다.", "")),
    ),
    order(
        "Whenever you change the schema, write a migration in sql/.",
        ("do", "Write a migration in sql/.", "the schema changes"),
        ("inverted", ("dont", "Do not write a migration in sql/.", "the schema changes")),
        ("object", ("do", "Write a migration in db/.", "the schema changes")),
        ("generalised", ("do", "Write a migration in sql/ for every change.", "")),
    ),
    order(
        "스키마를 바꿀 때는 항상 sql/ 에 마이그레이션을 추가해.",
        ("do", "sql/ 에 마이그레이션을 추가한다.", "스키마를 바꿀 때"),
        ("object", ("do", "db/ 에 마이그레이션을 추가한다.", "스키마를 바꿀 때")),
        ("opposite", ("do", "sql/ 의 마이그레이션을 삭제한다.", "스키마를 바꿀 때")),
    ),
    order(
        "Never commit without running make lint first.",
        ("do", "Run make lint before a commit.", ""),
        ("inverted", ("do", "Commit without running make lint.", "")),
        ("object", ("do", "Run make docs before a commit.", "")),
    ),
    order(
        "테스트 없이 커밋하지 마. 앞으로 쭉.",
        ("dont", "테스트 없이 커밋하지 않는다.", ""),
        ("inverted", ("do", "테스트 없이 커밋한다.", "")),
        ("object", ("dont", "문서 없이 커밋하지 않는다.", "")),
    ),
    order(
        "For this demo only, skip the tests. In general always run them.",
        ("do", "Always run the tests.", ""),
        ("generalised", ("do", "Skip the tests.", "")),
    ),
    order(
        "이번만 테스트 건너뛰어. 원래는 항상 돌려야 해.",
        ("do", "테스트를 항상 돌린다.", ""),
        ("generalised", ("do", "테스트를 건너뛴다.", "")),
    ),
    order(
        "Always use port 3001 for the dev server, never 3000.",
        ("do", "Use port 3001 for the dev server.", ""),
        ("inverted", ("do", "Use port 3000 for the dev server.", "")),
        ("number", ("do", "Use port 8080 for the dev server.", "")),
        ("object", ("do", "Use port 3001 for the database.", "")),
    ),
    order(
        "개발 서버는 3000 말고 3001 포트를 써. 항상.",
        ("do", "개발 서버는 3001 포트를 쓴다.", ""),
        ("inverted", ("do", "개발 서버는 3000 포트를 쓴다.", "")),
        ("number", ("do", "개발 서버는 8080 포트를 쓴다.", "")),
    ),
    order(
        "Ask me before you delete anything in production.",
        ("do", "Ask before deleting anything in production.", ""),
        ("inverted", ("dont", "Do not ask before deleting anything in production.", "")),
        ("generalised", ("do", "Delete anything in production.", "")),
        ("object", ("do", "Ask before deploying to production.", "")),
    ),
    order(
        "운영 DB에서 뭔가 지우기 전에는 꼭 나한테 물어봐.",
        ("do", "운영 DB에서 지우기 전에 물어본다.", ""),
        ("inverted", ("dont", "운영 DB에서 지우기 전에 묻지 않는다.", "")),
        ("generalised", ("do", "운영 DB에서 지운다.", "")),
    ),
    correction(
        "I installed the packages with npm.",
        "No, we use pnpm here, not npm.",
        ("do", "Use pnpm, not npm.", "packages are installed"),
        ("inverted", ("do", "Use npm, not pnpm.", "packages are installed")),
        ("object", ("do", "Use yarn, not npm.", "")),
    ),
    correction(
        "npm으로 패키지를 설치했습니다.",
        "아니 npm 말고 pnpm 쓰라고 했잖아.",
        ("do", "패키지는 npm 말고 pnpm으로 설치한다.", ""),
        ("inverted", ("do", "패키지는 pnpm 말고 npm으로 설치한다.", "")),
        ("object", ("do", "패키지는 yarn으로 설치한다.", "")),
    ),
    correction(
        "I renamed the public functions as well.",
        "Don't rename public functions. Put the old names back.",
        ("dont", "Do not rename public functions.", ""),
        ("inverted", ("do", "Rename public functions.", "")),
        ("object", ("dont", "Do not rename private variables.", "")),
        ("generalised", ("dont", "Do not rename anything.", "")),
    ),
    correction(
        "설정 파일도 함께 고쳤습니다.",
        "설정 파일은 건드리지 말라고 했는데 왜 고쳤어?",
        ("dont", "설정 파일은 건드리지 않는다.", ""),
        ("inverted", ("do", "설정 파일을 건드린다.", "")),
        ("object", ("dont", "테스트 파일은 건드리지 않는다.", "")),
    ),
    correction(
        "The report is ready; I rounded the numbers to 2 digits.",
        "The numbers must not be rounded. I need all 4 digits.",
        ("dont", "Do not round the numbers of the report; keep all 4 digits.", ""),
        ("inverted", ("do", "Round the numbers of the report.", "")),
        ("number", ("dont", "Do not round the numbers of the report; keep all 6 digits.", "")),
    ),
    correction(
        "보고서 숫자를 반올림했습니다.",
        "숫자 반올림하지 말고 소수점 4자리까지 다 보여줘.",
        ("dont", "숫자를 반올림하지 말고 소수점 4자리까지 보여준다.", ""),
        ("inverted", ("do", "숫자를 반올림해서 보여준다.", "")),
        ("number", ("dont", "숫자를 반올림하지 말고 소수점 2자리까지 보여준다.", "")),
    ),
    correction(
        "Done. I pushed the branch.",
        "You forgot to update the changelog again.",
        ("do", "Update the changelog.", "a branch is pushed"),
        ("inverted", ("dont", "Never update the changelog.", "")),
        ("object", ("do", "Update the readme.", "a branch is pushed")),
    ),
    correction(
        "브랜치를 푸시했습니다.",
        "또 changelog 업데이트 안 했네. 푸시하기 전에 꼭 해.",
        ("do", "푸시하기 전에 changelog를 업데이트한다.", ""),
        ("object", ("do", "푸시하기 전에 readme를 업데이트한다.", "")),
    ),
    correction(
        "I wrote the tests with mocks for the database.",
        "No mocks in the integration tests. Use the real database.",
        ("dont", "No mocks in the integration tests; use the real database.", ""),
        ("generalised", ("dont", "Never use mocks.", "")),
        ("inverted", ("do", "Use mocks in the integration tests.", "")),
        ("object", ("do", "Use the staging database in the integration tests.", "")),
    ),
    correction(
        "DB를 목으로 바꿔서 테스트했습니다.",
        "통합 테스트에서는 목 쓰지 마. 진짜 DB로 해.",
        ("dont", "통합 테스트에서는 목을 쓰지 않고 진짜 DB로 한다.", ""),
        ("inverted", ("do", "통합 테스트에서는 목을 쓴다.", "")),
        ("object", ("do", "통합 테스트는 스테이징 DB로 한다.", "")),
    ),
    praise(
        "I ran the failing test first, and fixed the code then.",
        "Perfect, running the failing test first is exactly how I like it.",
        ("do", "Run the failing test first, then fix the code.", ""),
        ("inverted", ("dont", "Do not run the failing test first.", "")),
        ("object", ("do", "Run the whole suite first, then fix the code.", "")),
    ),
    praise(
        "변경 사항을 표로 정리했습니다.",
        "표로 정리하니까 보기 좋네. 계속 이렇게 해줘.",
        ("do", "변경 사항을 표로 정리한다.", ""),
        ("inverted", ("dont", "변경 사항을 표로 정리하지 않는다.", "")),
        ("object", ("do", "변경 사항을 그래프로 정리한다.", "")),
    ),
    praise(
        "I split the change into 3 small commits.",
        "Great, small commits like these are easy to review!",
        ("do", "Split a change into small commits.", ""),
        ("object", ("do", "Split a change into small branches.", "")),
        ("number", ("do", "Split a change into 10 small commits.", "")),
    ),
    praise(
        "먼저 재현하는 테스트를 작성하고 고쳤습니다.",
        "재현 테스트 먼저 작성한 거 아주 좋아.",
        ("do", "고치기 전에 재현하는 테스트를 먼저 작성한다.", ""),
        ("inverted", ("dont", "재현하는 테스트를 작성하지 않는다.", "")),
        ("object", ("do", "고치기 전에 설계 문서를 먼저 작성한다.", "")),
    ),
    changed(
        "pytest tests/",
        "bash: pytest: command not found",
        "python -m pytest tests/",
        ("do", "Run `python -m pytest` where `pytest` is not found.", "pytest: command not found"),
        ("inverted", ("dont", "Never run `python -m pytest`.", "")),
        ("object", ("do", "Run `python -m unittest` where `pytest` is not found.", "")),
        ("generalised", ("do", "Run all commands with `python -m`.", "")),
    ),
    changed(
        "npm run build",
        'npm ERR! Missing script: "build"',
        "npm run compile",
        ("do", "빌드할 때는 `npm run build` 대신 `npm run compile`을 쓴다.", 'Missing script: "build"'),
        ("inverted", ("do", "`npm run compile` 대신 `npm run build`를 쓴다.", "")),
        ("object", ("do", "`npm run build` 대신 `npm run deploy`를 쓴다.", "")),
    ),
    changed(
        "docker compose up -d",
        "Error: port 3000 is already allocated",
        "PORT=3001 docker compose up -d",
        ("do", "Start with `PORT=3001 docker compose up -d` when port 3000 is already allocated.", ""),
        ("number", ("do", "Start with `PORT=3002 docker compose up -d` when port 3000 is already allocated.", "")),
        ("object", ("do", "Start podman with PORT=3001 when port 3000 is already allocated.", "")),
    ),
    changed(
        "git push origin main",
        "error: failed to push some refs (non-fast-forward)",
        "git pull --rebase origin main && git push origin main",
        ("do", "Run `git pull --rebase` before `git push` when the push is rejected as non-fast-forward.", ""),
        ("object", ("do", "Run `git push --force` when the push is rejected as non-fast-forward.", "")),
        ("inverted", ("dont", "Never run `git pull --rebase` before `git push`.", "")),
    ),
    changed(
        "curl http://localhost:8080/health",
        "curl: (7) Failed to connect to localhost port 8080: Connection refused",
        "curl http://localhost:9090/health",
        ("do", "헬스 체크는 8080이 아니라 9090 포트로 한다: http://localhost:9090/health", ""),
        ("inverted", ("do", "헬스 체크는 9090이 아니라 8080 포트로 한다.", "")),
        ("number", ("do", "헬스 체크는 8080이 아니라 7070 포트로 한다.", "")),
    ),
    changed(
        "sed -i 's/a/b/' file.txt",
        'sed: 1: "file.txt": invalid command code f',
        "sed -i '' 's/a/b/' file.txt",
        ("do", "Give `sed -i` an empty argument: `sed -i ''`.", "invalid command code"),
        ("object", ("do", "Give `perl -i` an empty argument.", "")),
        ("inverted", ("dont", "Do not give `sed -i` an empty argument.", "")),
    ),
    order(
        "Use snake_case for file names, not camelCase. Always.",
        ("do", "Use snake_case for file names, not camelCase.", ""),
        ("inverted", ("do", "Use camelCase for file names, not snake_case.", "")),
        ("object", ("do", "Use snake_case for class names.", "")),
    ),
    order(
        "PR 올리기 전에 무조건 rebase 해. merge 커밋은 만들지 말고.",
        ("do", "PR을 올리기 전에 rebase 한다. merge 커밋은 만들지 않는다.", ""),
        ("inverted", ("do", "PR을 올리기 전에 merge 커밋을 만든다.", "")),
        ("object", ("do", "PR을 올리기 전에 squash 한다.", "")),
    ),
    order(
        "Please always write docstrings in English, even when we chat in Korean.",
        ("do", "Write docstrings in English.", ""),
        ("object", ("do", "Write comments in Korean.", "")),
        ("inverted", ("dont", "Never write docstrings in English.", "")),
    ),
    order(
        "비밀번호나 토큰은 절대로 로그에 남기지 마세요.",
        ("dont", "비밀번호나 토큰을 로그에 남기지 않는다.", ""),
        ("inverted", ("do", "비밀번호나 토큰을 로그에 남긴다.", "")),
        ("generalised", ("dont", "로그를 남기지 않는다.", "")),
    ),
)
WORKED_ON: tuple[Entry, ...] = tuple(one for place, one in enumerate(ENTRIES) if place % 4 in (0, 1))
HELD: tuple[Entry, ...] = tuple(one for place, one in enumerate(ENTRIES) if place % 4 in (2, 3))

LATER: tuple[Entry, ...] = (
    order(
        "Keep the API keys out of the logs, always.",
        ("do", "Keep the API keys out of the logs.", ""),
        ("inverted", ("do", "Keep the API keys in the logs.", "")),
        ("object", ("do", "Keep the test data out of the logs.", "")),
    ),
    order(
        "Before you delete a branch, always ask me.",
        ("do", "Ask before deleting a branch.", ""),
        ("inverted", ("do", "Delete a branch before asking.", "")),
        ("generalised", ("do", "Delete every branch.", "")),
    ),
    order(
        "배포는 항상 태그를 만들고 나서 해 주세요.",
        ("do", "태그를 만들고 나서 배포한다.", ""),
        ("inverted", ("dont", "태그를 만들지 않고 배포한다.", "")),
        ("object", ("do", "백업을 만들고 나서 배포한다.", "")),
    ),
    order(
        "Don't refactor code outside the task unless I ask for it.",
        ("dont", "Do not refactor code outside the task.", "unless the person asks for it"),
        ("generalised", ("dont", "Never refactor code.", "")),
        ("inverted", ("do", "Refactor code outside the task.", "")),
    ),
    order(
        "Every PR needs at least 2 reviewers and at most 10 files.",
        ("do", "A PR needs at least 2 reviewers and at most 10 files.", ""),
        ("number", ("do", "A PR needs at least 10 reviewers and at most 2 files.", "")),
        ("number", ("do", "A PR needs at least 3 reviewers and at most 10 files.", "")),
    ),
    order(
        "테스트 커버리지는 80% 밑으로 떨어지면 안 돼. 항상 지켜.",
        ("dont", "테스트 커버리지는 80% 밑으로 떨어지면 안 된다.", ""),
        ("number", ("dont", "테스트 커버리지는 50% 밑으로 떨어지면 안 된다.", "")),
        ("object", ("dont", "응답 속도는 80% 밑으로 떨어지면 안 된다.", "")),
    ),
    order(
        "Log errors with the request id, never with the user's email.",
        ("do", "Log errors with the request id, never with the email.", ""),
        ("inverted", ("do", "Log errors with the email, never with the request id.", "")),
        ("object", ("do", "Log errors with the session id.", "")),
    ),
    order(
        "앞으로 의존성은 poetry로만 관리하고 requirements.txt는 직접 고치지 마.",
        ("do", "의존성은 poetry로 관리하고 requirements.txt는 직접 고치지 않는다.", ""),
        ("inverted", ("do", "의존성은 requirements.txt를 직접 고쳐서 관리한다.", "")),
        ("object", ("do", "의존성은 conda로 관리한다.", "")),
    ),
    correction(
        "I used a global variable for the cache.",
        "No globals please, pass the cache in as an argument.",
        ("do", "Pass the cache in as an argument; no globals.", ""),
        ("inverted", ("do", "Use a global variable for the cache.", "")),
        ("object", ("do", "Pass the logger in as an argument.", "")),
    ),
    correction(
        "에러를 무시하도록 했습니다.",
        "에러를 무시하지 말고 로그로 남겨.",
        ("do", "에러를 무시하지 말고 로그로 남긴다.", ""),
        ("inverted", ("do", "에러를 로그로 남기지 말고 무시한다.", "")),
        ("object", ("do", "에러를 무시하지 말고 메일로 보낸다.", "")),
    ),
    correction(
        "I squashed the three commits into one.",
        "Why did you squash? I want the commits kept separate.",
        ("dont", "Do not squash; keep the commits separate.", ""),
        ("inverted", ("do", "Squash the commits.", "")),
        ("object", ("do", "Keep the branches separate.", "")),
    ),
    correction(
        "테스트를 삭제해서 통과시켰습니다.",
        "테스트를 지우면 안 되지. 코드를 고쳐야지.",
        ("dont", "테스트를 지우면 안 되고 코드를 고친다.", ""),
        ("inverted", ("do", "테스트를 지운다.", "")),
        ("object", ("do", "설정을 고친다.", "")),
    ),
    changed(
        "ssh deploy@10.0.0.5",
        "Permission denied (publickey)",
        "ssh -i ~/.ssh/deploy_key deploy@10.0.0.5",
        ("do", "Give ssh the key with `-i ~/.ssh/deploy_key` when it says Permission denied (publickey).", ""),
        ("object", ("do", "Give ssh the key with `-i ~/.ssh/admin_key`.", "")),
        ("inverted", ("dont", "Never give ssh the key with `-i ~/.ssh/deploy_key`.", "")),
        ("generalised", ("do", "Give every ssh the key with `-i ~/.ssh/deploy_key`.", "")),
    ),
    changed(
        "cargo test",
        "error: no such subcommand: `test2`",
        "cargo nextest run",
        ("do", "cargo test가 실패하면 cargo nextest run을 실행한다.", ""),
        ("inverted", ("do", "cargo nextest run 대신 cargo test를 실행한다.", "")),
        ("object", ("do", "cargo test가 실패하면 cargo clean을 실행한다.", "")),
    ),
    praise(
        "I wrote a short plan and waited for your OK.",
        "Good, keep writing a short plan and waiting for my OK.",
        ("do", "Write a short plan and wait for the OK.", ""),
        ("inverted", ("dont", "Do not write a short plan.", "")),
        ("object", ("do", "Write a long report and wait for the OK.", "")),
    ),
    praise(
        "변경 전후의 성능을 측정해서 비교했습니다.",
        "전후 측정해서 비교해 준 거 최고야.",
        ("do", "변경 전후의 성능을 측정해서 비교한다.", ""),
        ("inverted", ("dont", "변경 전후의 성능을 측정하지 않는다.", "")),
        ("object", ("do", "변경 전후의 메모리를 측정해서 비교한다.", "")),
    ),
)
"""Written when the law stood, and nothing of it was changed for one of them either."""

BOTH_WAYS: tuple[Entry, ...] = (
    order(
        "Never forget to update the changelog.",
        ("do", "Update the changelog.", ""),
        ("inverted", ("dont", "Never update the changelog.", "")),
    ),
    order(
        "앞으로 커밋 전에 린터 돌리는 거 잊지 마.",
        ("do", "커밋 전에 린터를 돌린다.", ""),
        ("inverted", ("dont", "커밋 전에 린터를 돌리지 않는다.", "")),
    ),
    order(
        "배포 전에 백업을 하지 않으면 안 돼.",
        ("do", "배포 전에 백업을 한다.", ""),
        ("inverted", ("dont", "배포 전에 백업을 하지 않는다.", "")),
    ),
    order(
        "Always run not only the unit tests but also the integration tests.",
        ("do", "Run the unit tests and the integration tests.", ""),
        ("inverted", ("dont", "Do not run the unit tests.", "")),
    ),
    order(
        "테스트를 빼먹지 말고 항상 돌려",
        ("do", "테스트를 항상 돌린다.", ""),
        ("inverted", ("dont", "테스트를 돌리지 않는다.", "")),
    ),
    order(
        "주석 안 코드를 지워. 항상.",
        ("do", "주석 안 코드를 지운다.", ""),
        ("inverted", ("dont", "코드를 지우지 않는다.", "")),
    ),
)
"""Denials of denials: which of the two claims is true cannot be told by the words, so that neither stands."""
