"""Two real pages by their facts: addresses, times, status, sizes, counts, classes. Titles and texts are our own."""

from __future__ import annotations

from bot.index.sample.spec import PageSpec, Row

ALIYUN = "https://developer.aliyun.com/article/1485698"
MURPHYPEI = "https://murphypei.github.io/blog/2020/09/pytorch-distributed"
SEED_URLS = (ALIYUN, MURPHYPEI)

_COMMON: Row = {"download_http_code": 200, "fh_dont_index": 0, "ml_spam_score": 0, "attrs_language": "zh-cn"}

_ALIYUN_TEXT = (
    "当一张显卡装不下数据时，可以让几张显卡一起工作：每张卡读一部分样本，算完梯度后再取平均。",
    "做法分三步：先启动进程组，再用采样器切分数据集，最后把模型包起来，其余训练代码几乎不变。",
    "要留意的是网络带宽与批大小：卡越多，同步所占的时间越长，收益会逐渐变小。",
)
_MURPHYPEI_TEXT = (
    "这篇笔记记录怎样用多个进程训练同一个网络，每个进程负责一张显卡。",
    "单进程多线程的办法受解释器锁限制，数据又要先汇总到一张卡上，所以速度上不去。",
    "换成多进程以后，各卡独立读取数据，只在反向传播时交换梯度，显存的占用也更均匀。",
    "启动时需要约定主机地址、端口、进程总数与自己的编号，约定不一致就会一直等待。",
)
_CODE = (
    "```python\nimport torch.distributed as dist\n\ndist.init_process_group('nccl', rank=rank, world_size=size)\n```"
)


def _texts(title: str, paragraphs: tuple[str, ...]) -> Row:
    readable = f"# {title}\n\n" + "\n\n".join(paragraphs) + f"\n\n{_CODE}\n"
    return {
        "meta_title": title,
        "meta_descriptions": [paragraphs[0]],
        "attrs_boilerpipe_text": "\n".join(paragraphs),
        "attrs_readable_markdown": readable,
        "attrs_markdown": f"[首页](/) · [归档](/archives)\n\n{readable}\n[上一篇](/prev) | [下一篇](/next)\n",
    }


SEED_PAGES = (
    PageSpec(
        ALIYUN,
        bare=True,
        facts=_COMMON
        | _texts("多卡并行训练入门：把大数据集分给几张显卡", _ALIYUN_TEXT)
        | {
            "download_stamp": 1774985740,  # 2026-03-31 19:35:40
            "props_url_first_seen": 1713428194,  # 2024-04-18 08:16:34
        },
    ),
    PageSpec(
        MURPHYPEI,
        bare=True,
        facts=_COMMON
        | _texts("多进程训练神经网络：动手笔记 | 杂记", _MURPHYPEI_TEXT)
        | {
            "download_stamp": 1777778691,  # 2026-05-03 03:24:51
            "props_url_first_seen": 1601105734,  # 2020-09-26 07:35:34
            "ml_categories": {
                "/Computers_and_Electronics": 980,
                "/Computers_and_Electronics/Programming": 491,
                "/Computers_and_Electronics/Programming/Development_Tools": 277,
            },
            "ml_page_types": {"/Article": 999, "/Article/Tutorial_or_Guide": 987},
            "ml_intent_types": {"Informational": 999},
            "attrs_publish_time": 1600934554,  # 2020-09-24 08:02:34
            "attrs_original_publish_time": 1598918400,  # 2020-09-01 00:00:00
            "attrs_republished": 0,
            "attrs_word_count_total": 786,
            "attrs_word_count_content": 635,
            "links_external": 5,
            "links_internal": 20,
            "meta_nofollow": 0,
            "meta_noarchive": 0,
            "download_js_rendered": 1,
            "download_time_ms": 41,
            "download_ttfb_ms": 40,
            "download_size_bytes": 12013,
        },
    ),
)

# Their hosts' robots.txt was fetched the day before each page, so that an inspection as of the seed's date has seen it.
SEED_ROBOTS_FETCHED = {
    "developer.aliyun.com": 1774985740 - 86_400,
    "murphypei.github.io": 1777778691 - 86_400,
}
