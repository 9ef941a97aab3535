"""Sentences to write pages from, in ten languages and five scripts with different habits of writing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stock:
    """What pages of one language are made of. `glue` stands between sentences; `slugs` go into URLs as they are."""

    code: str | None  # what the crawl's language detection says
    glue: str
    titles: tuple[str, ...]
    headings: tuple[str, ...]
    slugs: tuple[str, ...]
    authors: tuple[str, ...]
    sentences: tuple[str, ...]


STOCKS: dict[str, Stock] = {
    "en": Stock(
        "en",
        " ",
        ("How to choose {}", "{}: a short guide", "Everything we learned about {}", "{} – prices and sizes"),
        ("Before you start", "What it costs", "Common mistakes", "Questions & answers"),
        ("walking-boots", "garden-tools", "paper-lamps", "old-maps", "bread-knives", "rain-coats"),
        ("Jo Example", "A. N. Other", "The Editors", "Pat O'Sample"),
        (
            "Measure the room twice before you order anything.",
            "Most of the older models can still be repaired at home.",
            "A good one lasts ten years & needs no care at all.",
            "We tried twelve of them in the rain and kept two.",
            "Ask for the small size if you carry it every day.",
            "Delivery takes three days, or five on the islands.",
            'The label says "waterproof", which is not quite true.',
            "Prices are < 40 in spring and > 60 in winter.",
        ),
    ),
    "de": Stock(
        "de",
        " ",
        ("{} richtig auswählen", "{}: der kurze Überblick", "Was wir über {} gelernt haben"),
        ("Vor dem Kauf", "Größen und Maße", "Häufige Fehler"),
        ("gartenstühle", "straßenkarten", "tulpenzwiebeln", "brotmesser", "türschlösser"),
        ("Erika Beispiel", "Jürgen Muster", "Die Redaktion"),
        (
            "Messen Sie den Raum zweimal aus, bevor Sie bestellen.",
            "Die meisten älteren Stücke lassen sich noch zu Hause flicken.",
            "Für größere Gärten lohnt sich die schwere Ausführung.",
            "Im Frühling sind die Preise am niedrigsten.",
            "Die Lieferung dauert drei Tage, auf die Inseln fünf.",
            "Wir haben zwölf davon im Regen geprüft und zwei behalten.",
        ),
    ),
    "fr": Stock(
        "fr",
        " ",
        ("Bien choisir : {}", "{}, le petit guide", "Ce que nous savons de {}"),
        ("Avant de commencer", "Les tailles", "Erreurs fréquentes"),
        ("baguettes", "crêpes-salées", "fenêtres", "lampes-à-huile", "cahiers-d'école"),
        ("Camille Exemple", "François Modèle", "La rédaction"),
        (
            "Mesurez la pièce deux fois avant de commander.",
            "La plupart des anciens modèles se réparent encore à la maison.",
            "L'été dernier, nous en avons essayé douze sous la pluie.",
            "Laissez reposer la pâte une nuit entière au frais.",
            "La livraison prend trois jours, cinq pour les îles.",
            "C'est « étanche », dit l'étiquette ; ce n'est pas tout à fait vrai.",
        ),
    ),
    "ja": Stock(
        "ja",
        "",
        ("{}の選び方", "{}をはじめる人のために", "{}について調べたこと"),
        ("準備するもの", "値段の目安", "よくある失敗"),
        ("味噌汁", "折り紙", "夜行列車", "文房具", "ラーメン"),
        ("見本太郎", "例田花子", "編集部"),
        (
            "注文する前に部屋の広さを二回測りましょう。",
            "古い型でも自宅で直せるものが多いです。",
            "雨の日に十二種類を試し、二つだけ残しました。",
            "毎日持ち歩くなら小さいほうが便利です。",
            "配送は三日、離島は五日ほどかかります。",
            "「防水」と書いてありますが、少し違います。",
        ),
    ),
    "zh-cn": Stock(
        "zh-cn",
        "",
        ("怎样挑选{}", "{}入门指南", "关于{}的几点体会"),
        ("开始之前", "价格参考", "常见错误"),
        ("茶叶", "地图", "数据库", "雨伞", "编译器"),
        ("张样本", "李示例", "编辑部"),
        (
            "下单之前请把房间量两遍。",
            "大多数旧型号在家里也能修好。",
            "我们在雨天试了十二种，只留下两种。",
            "如果每天随身携带，请选小号。",
            "一般三天送到，海岛需要五天。",
            "标签上写着“防水”，其实不完全对。",
        ),
    ),
    "ar": Stock(
        "ar",
        " ",
        ("كيف تختار {}", "دليل قصير إلى {}", "ما تعلمناه عن {}"),
        ("قبل أن تبدأ", "الأسعار", "أخطاء شائعة"),
        ("القهوة", "الخرائط", "المصابيح", "السجاد"),
        ("سامي مثال", "ليلى نموذج"),
        (
            "قس الغرفة مرتين قبل أن تطلب أي شيء.",
            "يمكن إصلاح معظم الطرازات القديمة في المنزل.",
            "جرّبنا اثني عشر نوعًا تحت المطر واحتفظنا باثنين.",
            "يستغرق التوصيل ثلاثة أيام، وخمسة إلى الجزر.",
            "اختر الحجم الصغير إن كنت تحمله كل يوم.",
        ),
    ),
    "he": Stock(
        "he",
        " ",
        ("איך בוחרים {}", "{}: מדריך קצר", "מה למדנו על {}"),
        ("לפני שמתחילים", "מחירים", "טעויות נפוצות"),
        ("תבלינים", "מפות", "מנורות", "שטיחים"),
        ("נועה דוגמה", "מערכת האתר"),
        (
            "מדדו את החדר פעמיים לפני שמזמינים.",
            "את רוב הדגמים הישנים עדיין אפשר לתקן בבית.",
            "ניסינו שנים עשר מהם בגשם והשארנו שניים.",
            "המשלוח נמשך שלושה ימים, ולאיים חמישה.",
            "מי שנושא אותו כל יום יבחר במידה הקטנה.",
        ),
    ),
    "ru": Stock(
        "ru",
        " ",
        ("Как выбрать {}", "{}: краткое руководство", "Что мы узнали про {}"),
        ("Прежде чем начать", "Сколько это стоит", "Частые ошибки"),
        ("самовары", "карты", "книжные-полки", "зонты"),
        ("Иван Образцов", "Редакция"),
        (
            "Измерьте комнату дважды, прежде чем заказывать.",
            "Почти все старые модели ещё можно починить дома.",
            "Мы проверили двенадцать штук под дождём и оставили две.",
            "Доставка занимает три дня, на острова – пять.",
            "Для каждого дня лучше взять маленький размер.",
        ),
    ),
    "hi": Stock(
        "hi",
        " ",
        ("{} कैसे चुनें", "{}: छोटी मार्गदर्शिका", "{} के बारे में हमने क्या सीखा"),
        ("शुरू करने से पहले", "कीमत", "आम गलतियाँ"),
        ("मसाले", "नक्शे", "दीये", "कालीन"),
        ("आशा उदाहरण", "संपादक मंडल"),
        (
            "मँगाने से पहले कमरे को दो बार नाप लें।",
            "ज़्यादातर पुराने मॉडल घर पर ही ठीक हो जाते हैं।",
            "हमने बारिश में बारह आज़माए और दो रखे।",
            "डिलीवरी में तीन दिन लगते हैं, द्वीपों पर पाँच।",
            "रोज़ साथ रखना हो तो छोटा आकार लें।",
        ),
    ),
    "emoji": Stock(
        None,
        " ",
        ("{} ✨", "🎉 {} 🎉", "{} 👩‍💻🏳️‍🌈"),
        ("🚀", "💸", "🤷‍♀️"),
        ("🍞", "🗺️", "☂️", "party-🥳"),
        ("🦄", "👾"),
        ("🧵 1/7 👇", "☔️☔️☔️ → 🥾✅", "👨‍👩‍👧‍👦 + 🏝️ = ❤️‍🔥", "📦 3️⃣ 🌞, 🏝️ 5️⃣ 🌞", "🇫🇷🇯🇵🇧🇷 👍🏽👍🏿"),
    ),
}
